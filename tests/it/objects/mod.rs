//! What is judged is what is sent, and what a repository says about itself changes neither.
//! Border: the built program on real repositories that somebody prepared.

mod diff;
mod envelope;
mod ground;
mod places;
mod settings;
mod view;
mod walk;
