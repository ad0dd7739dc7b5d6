import NIMSDK
import UIKit
import ZIM

@objc public protocol SessionObserver: NSObjectProtocol {
    @objc optional func sessionDidChange(_ isLoggedIn: Bool)
    @objc optional func session(
        _ kit: SessionKit,
        didFail code: Int
    )
    @objc func sessionName() -> String
}

/// A login manager as the vendors' UI kits have it, with Objective-C names.
@objcMembers
public class SessionKit: NSObject, NIMLoginManagerDelegate {
    @objc public static let shared = SessionKit()
    static var launches = 0
    private static var lastAccount: String?

    private let observers = NSHashTable<SessionObserver>(options: .weakMemory)
    private let forwards = NSHashTable<AnyObject>.weakObjects()
    @objc public dynamic private(set) var isLoggedIn = false
    private(set) var backgrounds = 0
    private(set) var account: String?
    var onEnd: (() -> Void)?

    private override init() {
        super.init()
        Self.launches += 1
        NIMSDK.shared().register(with: NIMSDKOption(appKey: "key"))
        NIMSDK.shared().loginManager.add(self)
        NotificationCenter.default.addObserver(
            self, selector: #selector(moved(_:)), name: UIApplication.didEnterBackgroundNotification, object: nil)
        Timer.scheduledTimer(timeInterval: 5, target: self, selector: #selector(tick), userInfo: nil, repeats: false)
    }

    /// UIKit's isolation is not enforced in Swift 5, as with the real one.
    func keepAwake() { UIApplication.shared.isIdleTimerDisabled = true }
    func end() { NIMSDK.shared().loginManager.logout() }

    func add(_ observer: SessionObserver) { observers.add(observer) }
    func forward(to delegate: AnyObject) { forwards.add(delegate) }

    @objc(loginWithAccount:token:) func login(account: String, token: String) {
        Self.lastAccount = account
        self.account = Self.lastAccount
        NIMSDK.shared().loginManager.login(account, token: token) { [weak self] error in
            guard let self else { return }
            if let error = error as NSError? {
                for observer in self.observers.allObjects { observer.session?(self, didFail: error.code) }
            }
            self.onEnd?()
        }
    }

    public func onLogin(_ step: NIMLoginStep) {
        isLoggedIn = step == .loginOK || step == .syncOK || isLoggedIn && step != .logout
        observers.allObjects.forEach { $0.sessionDidChange?(isLoggedIn) }
        for delegate in forwards.allObjects { (delegate as? NIMLoginManagerDelegate)?.onLogin?(step) }
    }

    @objc private func moved(_ notification: Notification) { backgrounds += 1 }

    @objc private func tick() { ticks += 1 }

    private(set) var ticks = 0
}
