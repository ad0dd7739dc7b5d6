@main
struct IMReplMain {
    static func main() {}
}
