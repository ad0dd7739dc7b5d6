# Two words are enough: `make run` opens the shell, `make test` runs every test.

export SWIFT ?= swift
# On Linux Swift's own libraries go into the program: it starts a quarter faster, and runs where Swift is not installed.
RELEASE := -c release -debug-info-format none $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)
LIBRARIES := libedit-dev libsqlite3-dev zlib1g-dev
# What the tests look at sessions and screens with.
TEST_TOOLS := tshark tmux openssl chromium
SOCKET_TESTS := IMTransportTests|IMLiveTests
# Live worlds, each with sockets of its own; they mostly wait.
LIVE_TESTS := TwoWorldsTests|ExpectEventScenarioTests
# Without debug information, which only a debugger reads and which takes a third of the time and of the room. Optimized,
# because the tests play some hundred thousand events; in a folder of its own, because it is another build than
# the program that is run and the one for work.
TESTS := .build/tests
TESTED := -c release -debug-info-format none --scratch-path $(TESTS) -Xswiftc -enable-testing
# Where the packages are built that use the libraries from outside. CI builds them where the tests are built, with the
# same options, so that the libraries are not compiled a second time.
OUTSIDE := Packages/VendorSDKs/.build
OUTSIDE_BUILD = $(if $(filter $(TESTS),$(OUTSIDE)),$(TESTED),--scratch-path $(OUTSIDE))
# The plan of another package that was built in this folder is removed. 'swift test' has one option more than
# 'swift build', which would compile everything again, so it does not build.
define test-outside
	rm -f $(OUTSIDE)/*.yaml
	$(SWIFT) build --build-tests --package-path $(1) $(OUTSIDE_BUILD)
	$(SWIFT) test --skip-build --package-path $(1) $(OUTSIDE_BUILD)
endef
RUN_TESTS := ./Scripts/run-tests $(TESTED) --skip-build

# How long `make test-deep` looks for each kind of mistake: cases of the mutators, walks, seeds of the tree's model, seconds
# of a fuzzer, time for the search.
DEEP_CASES ?= 200
DEEP_WALKS ?= 500
DEEP_TREES ?= 1000
DEEP_SECONDS ?= 600
DEEP_EXPLORE ?= 1h

.PHONY: install dist run build test test-deep examples vendor-sdks prepare prepare-tests format lint sessions protos benchmark benchmark-hostile clean

# The package manager keeps .build/release pointing at the folder of the last such build, so it need not be asked for it,
# which would plan the build a second time.
run: prepare
	@$(SWIFT) build $(RELEASE) --product imrepl
	@exec .build/release/imrepl $(ARGS)

build: prepare
	$(SWIFT) build $(RELEASE) --product imrepl

# Where 'make install' puts the program; DESTDIR is a folder before that, for packages.
PREFIX ?= /usr/local
DESTDIR ?=
INSTALLED = $(DESTDIR)$(PREFIX)

# The program, completions for three shells, a manual page for each command, and the session library, which 'sessions',
# 'replay NAME' and 'help RULE' find from any folder. On Linux the program holds only the part of ICU's data that it needs.
install: prepare
	$(SWIFT) build $(RELEASE) --product imrepl $(if $(filter Linux,$(shell uname)),$$(./Scripts/small-icu .build/icu.o))
	$(SWIFT) build $(RELEASE) --product generate-manual
	install -d $(INSTALLED)/bin $(INSTALLED)/share/man/man1 $(INSTALLED)/share/imrepl \
	    $(INSTALLED)/share/bash-completion/completions $(INSTALLED)/share/zsh/site-functions \
	    $(INSTALLED)/share/fish/vendor_completions.d
	install -m 755 .build/release/imrepl $(INSTALLED)/bin/imrepl
	strip $(INSTALLED)/bin/imrepl
	.build/release/imrepl --generate-completion-script bash >$(INSTALLED)/share/bash-completion/completions/imrepl
	.build/release/imrepl --generate-completion-script zsh >$(INSTALLED)/share/zsh/site-functions/_imrepl
	.build/release/imrepl --generate-completion-script fish >$(INSTALLED)/share/fish/vendor_completions.d/imrepl.fish
	.build/release/generate-manual --multi-page --output-directory $(INSTALLED)/share/man/man1 .build/release/imrepl
	rm -rf $(INSTALLED)/share/imrepl/sessions
	cp -r sessions $(INSTALLED)/share/imrepl/sessions

# An archive and, where dpkg-deb is, a Debian package of what 'make install' installs, in dist/.
dist:
	./Scripts/make-packages

test: prepare prepare-tests
	$(SWIFT) build $(TESTED) --build-tests
# First what goes over real sockets within one process, in real time, one test after the other: beside each other they
# would wait long enough for a processor to meet a limit. Live worlds and programs wait nearly all the time; apart from
# the minute of computing they can do so beside each other.
	$(RUN_TESTS) --no-parallel --filter '$(SOCKET_TESTS)'
	$(RUN_TESTS) --filter '$(LIVE_TESTS)'
	$(RUN_TESTS) --filter EndToEndTests
	$(RUN_TESTS) --skip '$(SOCKET_TESTS)|$(LIVE_TESTS)|EndToEndTests'
	.build/tests/release/imrepl-explore test sessions
	$(MAKE) examples vendor-sdks

# What another team writes: a package of its own that uses the libraries from outside. Built where the vendors' modules
# are, so that the libraries are compiled once for both.
examples:
	$(call test-outside,Examples)

# The vendors' modules, for apps' own tests: a package of its own, because their names are those of the real ones.
vendor-sdks: prepare
	$(call test-outside,Packages/VendorSDKs)

# For hours: the library of sessions by the program that users run, what `make test` draws by chance, many times over, a
# search in parts on a Slurm of its own, then the fuzzers that are guided by coverage. A trap leaves the seed of its case in
# .build/fuzz-note; IMREPL_FUZZ_SEED begins there again.
test-deep: build
	$(SWIFT) build $(RELEASE) --product imrepl-explore
	.build/release/imrepl test sessions
	$(SWIFT) build $(TESTED) --build-tests
	IMREPL_FUZZ_CASES=$(DEEP_CASES) IMREPL_FUZZ_NOTE=$(CURDIR)/.build/fuzz-note $(RUN_TESTS) --filter 'FuzzTests'
	IMREPL_DEEP=1 $(RUN_TESTS) --filter 'ForkTests|WhatIfTests|StopTests|FilterRecordingTests|OlderRecordingTests|DissectorTests'
	IMREPL_WALKS=$(DEEP_WALKS) $(RUN_TESTS) --filter RandomWalkTests
	IMREPL_TREE_SEEDS=$(DEEP_TREES) $(RUN_TESTS) --filter TreeModelTests
	# Other seeds each time; they are told, and are the same scenarios again.
	first=$$(( $$(date +%s) * 100000 )); echo "exploring from seed $$first"; \
	    .build/release/imrepl-explore --seeds $$first.. --time-limit $(DEEP_EXPLORE) --jobs 2
	@if [ "$$(uname)" = Linux ]; then ./Scripts/test-slurm .build/release/imrepl-explore; fi
	./SelfTests/Fuzzing/run $(DEEP_SECONDS)

# On macOS the libraries come with the system.
prepare:
	@if [ "$$(uname)" = Linux ]; then ./Scripts/install-packages $(LIBRARIES); fi

prepare-tests:
	@if [ "$$(uname)" = Linux ]; then ./Scripts/install-packages $(TEST_TOOLS); fi

format:
	git ls-files '*.swift' | grep -v /Generated/ | xargs $(SWIFT) format --in-place --parallel

lint:
	./Scripts/lint

# Writes the recordings beside the scripts, their catalogue, and the answers of 'why'. Read the difference before you
# commit it.
sessions: prepare
	$(SWIFT) build --build-tests
	.build/debug/imrepl-explore test sessions --update
	IMREPL_WRITE_CATALOGUE=1 $(SWIFT) test --skip-build --filter 'CatalogueTests|CauseListTests'

# Generates the Swift code of the .proto files, with the plug-in of the linked library.
protos:
	@if [ "$$(uname)" = Linux ]; then ./Scripts/install-packages protobuf-compiler; fi
	$(SWIFT) build --product protoc-gen-swift
	for module in IMProtocol IMSession; do \
	    (cd Sources/$$module/Protos && protoc --plugin=$(CURDIR)/.build/debug/protoc-gen-swift \
	        --proto_path=. --swift_opt=FileNaming=DropPath --swift_out=../Generated $$(find . -name '*.proto' | sed 's|^\./||')) \
	        || exit 1; \
	done

# First what needs the built program, then the libraries in a package of their own, which is never built in CI.
benchmark: build benchmark-hostile
	./SelfTests/Benchmarks/run .build/release/imrepl
	./SelfTests/Benchmarks/stored .build/release/imrepl
	$(SWIFT) package --package-path SelfTests/Benchmarks --disable-sandbox benchmark

# How a server holds up where thousands come at once, over real sockets; a few minutes.
benchmark-hostile: build
	python3 SelfTests/Benchmarks/hostile .build/release/imrepl

clean:
	rm -rf .build
