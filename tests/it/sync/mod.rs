//! Sharing as teams meet it: the built program, plain git, real hubs.
//! Border: rules have their own tests; here it is the whole that is claimed.

mod access;
mod age;
mod crash;
mod devices;
mod faults;
mod held_back;
mod large;
mod mend;
mod hostile;
mod index_incoming;
mod index_team;
mod kept_out;
mod next_steps;
mod obstacles;
mod own_rights;
mod places;
mod private;
mod propose;
mod race;
mod remotes;
mod renew;
mod renew_at_server;
mod rounds;
mod states;
mod steering;
mod transports;
mod week;
