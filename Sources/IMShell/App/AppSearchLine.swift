/// The interface between `imrepl app search` and the test run of an app.
public enum AppSearchLine {
    /// The environment variable with the requested seeds: the first, the count, the stride and the offset.
    public static let variable = "IMREPL_APP_SEARCH"
    /// The environment variable with the folder of the scenarios to begin from.
    public static let corpusVariable = "IMREPL_APP_CORPUS"
    /// The prefix of each line of the standard output that is for the search.
    public static let mark = "imrepl-app "
}
