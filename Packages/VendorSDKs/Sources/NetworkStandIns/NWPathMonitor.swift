import AppStandIns

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The state of the network that a monitor reports.
public struct NWPath: Equatable, Sendable {
    public enum Status: Sendable {
        case satisfied
        case unsatisfied
        case requiresConnection
    }

    public let status: Status
    public let availableInterfaces: [NWInterface]
    public let isConstrained = false
    public var isExpensive: Bool { usesInterfaceType(.cellular) }
    public var supportsIPv4: Bool { status == .satisfied }
    public var supportsIPv6: Bool { status == .satisfied }
    public var supportsDNS: Bool { status == .satisfied }

    init(_ interface: DeviceNetwork.Interface?) {
        status = interface == nil ? .unsatisfied : .satisfied
        availableInterfaces = interface.map { [NWInterface($0)] } ?? []
    }

    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool {
        availableInterfaces.contains { $0.type == type }
    }
}

public struct NWInterface: Hashable, Sendable {
    public enum InterfaceType: Sendable {
        case other
        case wifi
        case cellular
        case wiredEthernet
        case loopback
    }

    public let type: InterfaceType
    public let name: String

    init(_ interface: DeviceNetwork.Interface) {
        type = interface == .wifi ? .wifi : .cellular
        name = interface == .wifi ? "en0" : "pdp_ip0"
    }
}

/// The double of `NWPathMonitor`, for systems without it: it observes the network of the simulated device.
public final class NWPathMonitor: @unchecked Sendable {
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
    public private(set) var queue: SimulatedDispatchQueue?
    private let requiredType: NWInterface.InterfaceType?
    private let network = DeviceStorage.current.network
    private var observer: Int?

    public init() {
        requiredType = nil
    }

    public init(requiredInterfaceType: NWInterface.InterfaceType) {
        requiredType = requiredInterfaceType
    }

    deinit {
        observer.map(network.stopObserving)
    }

    public var currentPath: NWPath {
        let path = NWPath(network.interface)
        guard let requiredType, !path.usesInterfaceType(requiredType) else { return path }
        return NWPath(nil)
    }

    /// Reports the current state of the network to the handler, and then each change.
    public func start(queue: SimulatedDispatchQueue) {
        guard observer == nil else { return }
        self.queue = queue
        observer = network.observe { [weak self] in self?.notify() }
        notify()
    }

    public func cancel() {
        observer.map(network.stopObserving)
        observer = nil
        pathUpdateHandler = nil
    }

    private func notify() {
        let path = currentPath
        queue?.async { [weak self] in self?.pathUpdateHandler?(path) }
    }
}
