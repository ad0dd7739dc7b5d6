import IMCheckers
import IMClient
import IMDebugger
import IMServer
import IMSession
import IMSimulation

/// Checks that a machine is equal after it was encoded and decoded. A jump to an event decodes machines, so it would
/// otherwise show a wrong state (C-16).
enum StateCodingCheck {
    static let kind = "a stored state is read as a different state"

    /// True if the scenario ends with a violation of this kind.
    static func isBroken(by scenario: Scenario, as kind: String) -> Bool {
        var options = ScenarioPlayer.Options()
        options.hasCheckers = false
        options.heals = false
        options.readsStates = true
        return (try? ScenarioPlayer(scenario, options).play())?.violation?.kind == kind
    }

    /// - Returns: the violation; nil if there is none.
    static func violation(of world: SimulatedWorld) -> Violation? {
        let core = world.core
        var machines = core.clients.compactMap { id in
            core.clientMachine(of: id).map { (name: core.name(of: id), machine: NodeMachine.client($0)) }
        }
        if let server = core.serverMachine {
            machines.append((WorldCore.serverName, .server(server)))
        }
        let schema = IMSessionSchema()
        for (name, machine) in machines {
            let read = try? schema.decodeState(schema.encodeState(machine))
            if read != machine {
                return Violation(.recorder, "C-16", kind, name)
            }
        }
        return nil
    }
}
