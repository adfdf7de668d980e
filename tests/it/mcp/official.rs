//! The official clients, in Python and TypeScript, as their users start them.
//! Border: that they understand the server; `.ci/run` installs them below `target/clients`.
#![expect(clippy::disallowed_methods, reason = "asks for what is installed, and starts it")]

use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Member, World, say};

fn installed(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/clients").join(path);
    if path.exists() {
        return Some(path);
    }
    let is_required = std::env::var_os("MEMSYNC_REQUIRE_CLIENTS").is_some();
    assert!(!is_required, "{} is not installed", path.display());
    None
}

fn saw(member: &Member, program: &str, script: &str, variables: &[(&str, PathBuf)]) {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp").join(script);
    let mut command = member.command(program);
    for (name, value) in variables {
        command.env(name, value);
    }
    command
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_memsync"))
        .arg("--memdir")
        .arg(&member.memdir)
        .arg("mcp");
    let said = say(&mut command);
    assert_eq!(said.exit, 0, "{said:?}");
    let saw: Value = serde_json::from_str(said.out.trim()).unwrap();
    assert_eq!((&saw["server"], &saw["tools"]), (&"memsync".into(), &8.into()), "{saw}");
    assert!(saw["found"].as_str().unwrap().contains("5433"), "{saw}");
    let resources = saw["resources"].as_array().unwrap();
    assert!(resources.contains(&"memory://team/ports.md".into()), "{saw}");
}

#[test]
fn the_official_python_client_understands_it() {
    let Some(packages) = installed("python/mcp") else { return };
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("ports", "The staging database listens on port 5433.");
    let packages = packages.parent().unwrap().to_owned();
    saw(&ada, "python3", "official.py", &[("PYTHONPATH", packages)]);
}

#[test]
fn the_official_typescript_client_understands_it() {
    let Some(sdk) = installed("node_modules/@modelcontextprotocol/sdk") else { return };
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("ports", "The staging database listens on port 5433.");
    // A script finds packages in folders above it.
    let modules = sdk.parent().unwrap().parent().unwrap();
    let folder = world.path().join("script");
    std::fs::create_dir(&folder).unwrap();
    let script = folder.join("official.mjs");
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/official.mjs");
    std::fs::copy(source, &script).unwrap();
    std::os::unix::fs::symlink(modules, folder.join("node_modules")).unwrap();
    saw(&ada, "node", script.to_str().unwrap(), &[]);
}
