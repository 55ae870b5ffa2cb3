//! Whether anybody still waits for an attempt whose work is on its way back, since git goes on where nothing can interrupt it.
//! It stops nothing: whoever brings work back asks before each step that others see.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use motet_core::event::{Failure, FailureKind};

use crate::context::{Context, StopReason};

#[derive(Clone)]
pub(super) struct Waiting {
    context: Context,
    is_given_up: Arc<AtomicBool>,
}

/// As long as this is there, somebody waits.
pub(super) struct Patience(Arc<AtomicBool>);

impl Waiting {
    pub fn new(context: &Context) -> Self {
        Self { context: context.clone(), is_given_up: Arc::default() }
    }

    /// Held by the future of the attempt, which is dropped when it is given up.
    pub fn patience(&self) -> Patience {
        Patience(self.is_given_up.clone())
    }

    /// An error once nobody waits. A result that comes a moment after its time may still count; one that was cancelled never does.
    pub fn goes_on(&self) -> Result<(), Failure> {
        let is_cancelled = self.context.stop_reason() == Some(StopReason::Cancelled);
        if is_cancelled || self.is_given_up.load(Ordering::SeqCst) {
            let message = "the attempt was given up before its work came back; the work stays in its tree".into();
            return Err(Failure { kind: FailureKind::Cancelled, message });
        }
        Ok(())
    }
}

impl Drop for Patience {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
