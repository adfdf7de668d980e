//! What an audit says: events with verdicts, what each changed, who was silent, what grew old.
//! Border: values in, values out; `sync::audit` walks the history and asks `trust` for verdicts.
//! Read: `verdict`, `fields`, `event`, `trail`, `report`, `timeline`; `blame` is for one memory.

pub mod verdict;
pub mod fields;
pub mod event;
pub mod trail;
pub mod report;
pub mod timeline;
pub mod blame;
