import Combine
import Foundation
import NIMSDK
import SwiftUI

/// A login as a chain of publishers.
final class CombineLogin: ObservableObject {
    @Published private(set) var isLoggedIn = false
    private var bag: Set<AnyCancellable> = []

    func start(_ account: String, token: String) {
        Just(NIMSDK.shared().loginManager.isLogined())
            .flatMap { isLogined in isLogined ? self.logout() : Just(true).eraseToAnyPublisher() }
            .flatMap { _ in
                Future<Bool, Never> { promise in
                    NIMSDK.shared().loginManager.login(account, token: token) { promise(.success($0 == nil)) }
                }
            }
            .sink { isLoggedIn in withAnimation { self.isLoggedIn = isLoggedIn } }
            .store(in: &bag)
    }

    private func logout() -> AnyPublisher<Bool, Never> {
        Future { promise in NIMSDK.shared().loginManager.logout { _ in promise(.success(true)) } }.eraseToAnyPublisher()
    }
}
