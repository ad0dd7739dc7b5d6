# Two words are enough: `make run` opens the shell, `make test` runs every test.

SWIFT ?= swift
LIBRARIES := libedit-dev libsqlite3-dev
# What the tests look at sessions and screens with.
TEST_TOOLS := tshark tmux openssl

.PHONY: run build test prepare prepare-tests format lint sessions benchmark clean

run: prepare
	@$(SWIFT) build -c release --product imrepl
	@exec "$$($(SWIFT) build -c release --show-bin-path)/imrepl" $(ARGS)

build: prepare
	$(SWIFT) build -c release --product imrepl

test: prepare prepare-tests
	$(SWIFT) build --build-tests
# The second run drives programs and terminals, and waits for them on the threads that the first one's tasks need.
	$(SWIFT) test --skip-build --skip EndToEndTests
	$(SWIFT) test --skip-build --filter EndToEndTests
	"$$($(SWIFT) build --show-bin-path)/imrepl" test sessions

# On macOS both libraries come with the system.
prepare:
	@if [ "$$(uname)" = Linux ]; then ./Scripts/install-packages $(LIBRARIES); fi

prepare-tests:
	@if [ "$$(uname)" = Linux ]; then ./Scripts/install-packages $(TEST_TOOLS); fi

format:
	git ls-files '*.swift' | grep -v /Generated/ | xargs $(SWIFT) format --in-place --parallel

lint:
	./Scripts/lint

# Writes the recordings beside the scripts anew; look at the difference before it is committed.
sessions: prepare
	$(SWIFT) build --product imrepl
	"$$($(SWIFT) build --show-bin-path)/imrepl" test sessions --update

benchmark: build
	./Benchmarks/run "$$($(SWIFT) build -c release --show-bin-path)/imrepl"

clean:
	rm -rf .build
