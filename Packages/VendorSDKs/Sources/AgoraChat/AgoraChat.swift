/// The module under its own name: everything is in `AgoraChatCore`, which `HyphenateChat` shares.
@_exported import AgoraChatCore
