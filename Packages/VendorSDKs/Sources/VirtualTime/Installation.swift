import CVirtualTime

#if compiler(<6.3)
    #error("Virtual time needs the custom main and global executors of Swift 6.3")
#endif

/// Replaces the executors of Swift's concurrency. The C target calls it before `main`, because it is too late after the
/// first job.
@_cdecl("vt_install_executors")
func installExecutors() {
    // Reads the first values of the app's variables.
    _ = ProcessGlobals.shared
    guard replaceExecutors() else {
        JobLoop.obstacle = .fixedExecutors
        return
    }
    JobLoop.obstacle = vt_clocks_are_virtual() ? nil : .realClocks
}

/// The difference between the systems: Documentation/AppleSystems.md.
private func replaceExecutors() -> Bool {
    if #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) {
        // The hooks are no replacement here: the sleeps of tasks do not come to them.
        #if !canImport(Darwin) || EXECUTOR_SPI
            VirtualExecutor.install()
            return true
        #else
            return false
        #endif
    }
    return installHooks()
}

/// Passes the jobs of a runtime before Swift 6.3 to the loop. Returns false if the runtime has no hooks.
private func installHooks() -> Bool {
    JobLoop.runJob = { job, isMain in
        job.runSynchronously(on: isMain ? MainActor.sharedUnownedExecutor : noExecutor)
    }
    return vt_install_hooks(
        { job, isMain, delay in
            guard let job else { return }
            JobLoop.shared.enqueue(
                SubmittedJob(
                    job: unsafeBitCast(job, to: UnownedJob.self), isTask: vt_job_is_task(job), isMain: isMain,
                    delay: delay))
        },
        { JobLoop.shared.run(until: { false }) })
}

/// The executor of a job that is isolated to no actor: two words of zero.
private let noExecutor = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)
