//! Trust: what we sign against git and ssh-keygen, and the rule against the stories it must tell apart.
//! Border: values and throw-away repositories; the flows have their own tests.

mod arbitrary;
mod authorize;
mod git;
mod history;
mod story;
