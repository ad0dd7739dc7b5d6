import IMClient
import IMOracles
import IMServer
import IMSession
import IMSimulation

/// A machine that is written into a file is read from it as it was: who goes to a moment behind it finds what was there
/// (C-16).
enum StateReading {
    /// - Returns: what is wrong; nil where nothing is.
    static func violation(of world: SimulatedWorld) -> Violation? {
        let core = world.core
        var machines = core.clients.compactMap { id in
            core.clientMachine(of: id).map { (name: core.name(of: id), machine: NodeMachine.client($0)) }
        }
        if let server = core.serverID.flatMap({ core.serverMachine(of: $0) }) {
            machines.append((WorldCore.serverName, .server(server)))
        }
        let schema = IMSessionSchema()
        for (name, machine) in machines {
            let read = try? schema.decodeState(schema.encodeState(machine))
            if read != machine {
                return Violation(.recorder, "C-16", "a state that is written down is read as another", name)
            }
        }
        return nil
    }
}
