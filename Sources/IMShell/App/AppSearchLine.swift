/// The names that `imrepl app search` and the test process of an app use to exchange data.
public enum AppSearchLine {
    /// The environment variable with the requested seeds as four numbers: the first seed, the count, the stride and the
    /// offset.
    public static let variable = "IMREPL_APP_SEARCH"
    /// The environment variable with the folder of the scenarios that the search starts from.
    public static let corpusVariable = "IMREPL_APP_CORPUS"
    /// The prefix of each line on standard output that `imrepl app search` reads.
    public static let mark = "imrepl-app "
}
