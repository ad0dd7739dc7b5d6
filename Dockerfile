# Swift and the system's packages, where they cannot be installed otherwise:
#   docker build -t imrepl .
#   docker run -it --rm -v "$PWD:/imrepl" imrepl              the shell, as 'make run' opens it
#   docker run -it --rm -v "$PWD:/imrepl" imrepl make test
FROM swift:6.3-bookworm
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends make pkg-config python3 libedit-dev libsqlite3-dev \
        zlib1g-dev tshark tmux openssl chromium \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /imrepl
CMD ["make", "run"]
