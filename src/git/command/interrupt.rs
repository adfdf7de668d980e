//! Ctrl-C and SIGTERM while a git program runs, and only then.
//! Border: tells that a signal came; ending the program is `process.rs`' work.

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, OnceLock};

    use signal_hook::consts::{SIGINT, SIGTERM};
    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// Requests in flight.
    static RUNNING: AtomicUsize = AtomicUsize::new(0);

    /// True while none is; then a signal ends memsync as if no handler were there.
    static IDLE: OnceLock<Arc<AtomicBool>> = OnceLock::new();

    /// Listens from its making to its end.
    pub(in crate::git::command) struct Interrupt {
        interrupt: Signal,
        terminate: Signal,
    }

    impl Interrupt {
        /// Starts to listen. Must be called inside a runtime.
        pub(in crate::git::command) fn listen() -> io::Result<Self> {
            if IDLE.get().is_none() {
                let idle = Arc::new(AtomicBool::new(true));
                // tokio's handlers stay for the life of the process and swallow the signal.
                for kind in [SIGINT, SIGTERM] {
                    signal_hook::flag::register_conditional_default(kind, Arc::clone(&idle))?;
                }
                drop(IDLE.set(idle));
            }
            let interrupt = signal(SignalKind::interrupt())?;
            let terminate = signal(SignalKind::terminate())?;
            RUNNING.fetch_add(1, Ordering::SeqCst);
            set_idle(false);
            Ok(Self { interrupt, terminate })
        }

        /// Waits for a signal.
        pub(in crate::git::command) async fn arrived(&mut self) {
            tokio::select! {
                _ = self.interrupt.recv() => {}
                _ = self.terminate.recv() => {}
            }
        }
    }

    impl Drop for Interrupt {
        fn drop(&mut self) {
            if RUNNING.fetch_sub(1, Ordering::SeqCst) == 1 {
                set_idle(true);
            }
        }
    }

    fn set_idle(idle: bool) {
        if let Some(flag) = IDLE.get() {
            flag.store(idle, Ordering::SeqCst);
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::io;

    /// Listens for Ctrl-C.
    pub(in crate::git::command) struct Interrupt;

    impl Interrupt {
        /// Starts to listen.
        pub(in crate::git::command) fn listen() -> io::Result<Self> {
            Ok(Self)
        }

        /// Waits for Ctrl-C.
        pub(in crate::git::command) async fn arrived(&mut self) {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

#[cfg(not(unix))]
pub(super) use other::Interrupt;
#[cfg(unix)]
pub(super) use unix::Interrupt;
