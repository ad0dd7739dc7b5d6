/// How `imrepl app search` and the test run of an app talk to each other.
public enum AppSearchLine {
    /// The variable of the environment that asks for seeds: the first, how many, only each so many-th, from which one on.
    public static let variable = "IMREPL_APP_SEARCH"
    /// What stands before each line of the standard output that is for the search.
    public static let mark = "imrepl-app "
}
