import Foundation

public enum UIUserInterfaceIdiom: Int, Sendable {
    case unspecified = -1
    case phone
    case pad
    case tv
    case carPlay
    case mac = 5
}

/// The description of the device for an app; each is the same iPhone here.
@preconcurrency @MainActor public final class UIDevice: NSObject {
    public static let current = UIDevice()

    public let name = "iPhone"
    public let model = "iPhone"
    public let localizedModel = "iPhone"
    public let systemName = "iOS"
    public let systemVersion = "18.0"
    public let userInterfaceIdiom = UIUserInterfaceIdiom.phone
    public let identifierForVendor = UUID(uuidString: "00000000-0000-4000-8000-000000000001")
    public var isBatteryMonitoringEnabled = false
    public let batteryLevel: Float = 1
}

// MARK: Names that have to exist

// They do nothing: there is no screen. An app's own classes may inherit from them.

@preconcurrency @MainActor open class UIScreen: NSObject {
    public static let main = UIScreen()
    public let bounds = CGRect(x: 0, y: 0, width: 390, height: 844)
    public let scale: CGFloat = 3
}

@preconcurrency @MainActor open class UIView: UIResponder {
    public var frame = CGRect.zero
    public var isHidden = false
    public var alpha: CGFloat = 1
    public var backgroundColor: UIColor?
    public private(set) var subviews: [UIView] = []
    public var tag = 0

    public override init() {}
    public init(frame: CGRect) { self.frame = frame }

    open func addSubview(_ view: UIView) { subviews.append(view) }
    open func removeFromSuperview() {}
    open func layoutSubviews() {}
    open func setNeedsLayout() {}
}

open class UIWindow: UIView {
    public var rootViewController: UIViewController?
    open func makeKeyAndVisible() {}
}

@preconcurrency @MainActor open class UIScene: UIResponder {}

open class UIWindowScene: UIScene {
    public var windows: [UIWindow] { [] }
    public var keyWindow: UIWindow? { nil }
}

@preconcurrency @MainActor open class UIViewController: UIResponder {
    public var title: String?
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    public lazy var view: UIView! = UIView()
    public var navigationController: UINavigationController? { nil }
    public private(set) var presentedViewController: UIViewController?
    public var isViewLoaded: Bool { false }

    public override init() {}

    open func viewDidLoad() {}
    open func viewWillAppear(_ animated: Bool) {}
    open func viewDidAppear(_ animated: Bool) {}
    open func viewWillDisappear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}

    open func present(_ controller: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {
        presentedViewController = controller
        completion?()
    }

    open func dismiss(animated: Bool, completion: (() -> Void)? = nil) {
        presentedViewController = nil
        completion?()
    }
}

open class UINavigationController: UIViewController {
    public private(set) var viewControllers: [UIViewController] = []

    public override init() {}
    public init(rootViewController: UIViewController) { viewControllers = [rootViewController] }

    open func pushViewController(_ controller: UIViewController, animated: Bool) { viewControllers.append(controller) }
    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? { viewControllers.popLast() }
}

open class UITabBarController: UIViewController {
    public var viewControllers: [UIViewController]?
    public var selectedIndex = 0
}

open class UIAlertAction: NSObject, @unchecked Sendable {
    public enum Style: Int, Sendable {
        case `default`
        case cancel
        case destructive
    }

    public let title: String?
    public let style: Style

    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
        self.title = title
        self.style = style
    }
}

open class UIAlertController: UIViewController {
    public enum Style: Int, Sendable {
        case actionSheet
        case alert
    }

    public var message: String?
    public private(set) var actions: [UIAlertAction] = []

    public init(title: String?, message: String?, preferredStyle: Style) {
        self.message = message
        super.init()
        self.title = title
    }

    open func addAction(_ action: UIAlertAction) { actions.append(action) }
}

public final class UIColor: NSObject, @unchecked Sendable {
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {}
    public override init() {}

    public static let white = UIColor()
    public static let black = UIColor()
    public static let red = UIColor()
    public static let clear = UIColor()
}

public final class UIImage: NSObject, @unchecked Sendable {
    private let bytes: Data?

    public init?(data: Data) { bytes = data }
    public init?(named name: String) { bytes = nil }

    public func pngData() -> Data? { bytes }
    public func jpegData(compressionQuality: CGFloat) -> Data? { bytes }
    public var size: CGSize { .zero }
}

public final class UIPasteboard: NSObject, @unchecked Sendable {
    public static let general = UIPasteboard()
    public var string: String?
}
