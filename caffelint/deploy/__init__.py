"""What converters and runtimes of other makers make of a net, over facts that are data: `targets/NAME.toml`."""
