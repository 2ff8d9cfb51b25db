//! Commands on connections, transactions and the server itself.
use super::row::{
    row, ADMIN, ALL, ALLOW_BUSY, DENY_OOM, FAST, GATE, LOADING, NONE, NO_AUTH, NO_SCRIPT, READONLY, SECOND,
    SKIP_SLOWLOG, STALE, WRITE,
};
use crate::command::CommandGroup::{Connection, Generic, Scripting, Server, Transactions};
use crate::command::Handler::{Container, Here, Host, Refused, Table};
use crate::command::{CommandRow, Description, Refusing, ServerCommand};
use crate::commands::{connection, fixed, memory};

#[rustfmt::skip]
pub(super) const ROWS: &[CommandRow] = &[
    row("acl", -2, &[], NONE, "", "6.0.0", Server, Container(ACL), "Shows users and categories."),
    row("auth", -2, &[NO_SCRIPT, LOADING, STALE, FAST, NO_AUTH, ALLOW_BUSY], NONE, "connection", "1.0.0", Connection, Host(ServerCommand::Auth), "Signs in."),
    row("client", -2, &[], NONE, "", "2.4.0", Connection, Container(CLIENT), "Shows and changes connections."),
    row("command", -1, &[LOADING, STALE], NONE, "connection", "2.8.13", Server, Container(COMMAND), "Describes the commands."),
    row("config", -2, &[], NONE, "", "2.0.0", Server, Container(CONFIG), "Shows and changes settings."),
    row("discard", 1, &[NO_SCRIPT, LOADING, STALE, FAST, ALLOW_BUSY], NONE, "transaction", "2.0.0", Transactions, Host(ServerCommand::Discard), "Forgets the commands queued since MULTI."),
    row("echo", 2, &[LOADING, STALE, FAST], NONE, "connection", "1.0.0", Connection, Here(connection::echo), "Answers its argument."),
    row("exec", 1, &[NO_SCRIPT, LOADING, STALE, SKIP_SLOWLOG, GATE], NONE, "transaction", "1.2.0", Transactions, Host(ServerCommand::Exec), "Executes the commands queued since MULTI."),
    row("function", -2, &[], NONE, "", "7.0.0", Scripting, Container(FUNCTION), "Functions are not kept."),
    row("hello", -1, &[NO_SCRIPT, LOADING, STALE, FAST, NO_AUTH, ALLOW_BUSY], NONE, "connection", "6.0.0", Connection, Host(ServerCommand::Hello), "Chooses the version of the protocol, signs in, names the connection."),
    row("info", -1, &[LOADING, STALE], NONE, "dangerous", "1.0.0", Server, Host(ServerCommand::Info), "Returns the state of the server."),
    row("latency", -2, &[], NONE, "", "2.8.13", Server, Container(LATENCY), "Latency is not recorded."),
    row("memory", -2, &[], NONE, "", "4.0.0", Server, Container(MEMORY), "Shows memory."),
    row("module", -2, &[], NONE, "", "4.0.0", Server, Container(MODULE), "Modules are not loaded."),
    row("multi", 1, &[NO_SCRIPT, LOADING, STALE, FAST, ALLOW_BUSY], NONE, "transaction", "1.2.0", Transactions, Host(ServerCommand::Multi), "Begins a transaction."),
    row("ping", -1, &[FAST], NONE, "connection", "1.0.0", Connection, Here(connection::ping), "Answers."),
    row("quit", -1, &[ALLOW_BUSY, NO_SCRIPT, LOADING, STALE, FAST, NO_AUTH], NONE, "connection", "1.0.0", Connection, Host(ServerCommand::Quit), "Closes the connection."),
    row("reset", 1, &[NO_SCRIPT, LOADING, STALE, FAST, NO_AUTH, ALLOW_BUSY], NONE, "connection", "6.2.0", Connection, Host(ServerCommand::Reset), "Makes the connection as it was at its beginning."),
    row("role", 1, &[NO_SCRIPT, LOADING, STALE, FAST], NONE, "admin dangerous", "2.8.12", Server, Here(connection::role), "Reports that this is no replica."),
    row("select", 2, &[LOADING, STALE, FAST], NONE, "connection", "1.0.0", Connection, Host(ServerCommand::Select), "Chooses the database."),
    row("slowlog", -2, &[], NONE, "", "2.2.12", Server, Container(SLOWLOG), "Slow commands are not recorded."),
    row("time", 1, &[LOADING, STALE, FAST], NONE, "", "2.6.0", Server, Here(connection::time), "Returns the time."),
    row("unwatch", 1, &[NO_SCRIPT, LOADING, STALE, FAST, ALLOW_BUSY], NONE, "transaction", "2.2.0", Transactions, Host(ServerCommand::Unwatch), "Forgets the watched keys."),
    row("wait", 3, &[NO_SCRIPT], NONE, "connection", "3.0.0", Generic, Here(connection::wait), "Reports that no replica has the write."),
    row("watch", -2, &[NO_SCRIPT, LOADING, STALE, FAST, ALLOW_BUSY], ALL, "transaction", "2.2.0", Transactions, Host(ServerCommand::Watch), "Makes EXEC depend on keys that stay as they are."),
];

#[rustfmt::skip]
const ACL: &[CommandRow] = &[
    row("acl|cat", -2, &[NO_SCRIPT, LOADING, STALE], NONE, "", "6.0.0", Server, Table(Description::Categories), "Lists the categories, or the commands of one."),
    row("acl|deluser", -3, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "6.0.0", Server, Refused(Refusing::Users), "Is not served."),
    row("acl|dryrun", -4, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "7.0.0", Server, Refused(Refusing::Users), "Is not served."),
    row("acl|genpass", -2, &[NO_SCRIPT, LOADING, STALE], NONE, "", "6.0.0", Server, Refused(Refusing::Users), "Is not served."),
    row("acl|getuser", 3, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "6.0.0", Server, Refused(Refusing::Users), "Is not served."),
    row("acl|help", 2, &[LOADING, STALE], NONE, "", "6.0.0", Server, Host(ServerCommand::AclHelp), "Lists the subcommands."),
    row("acl|list", 2, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "6.0.0", Server, Host(ServerCommand::AclList), "Describes the users."),
    row("acl|load", 2, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "6.0.0", Server, Refused(Refusing::Users), "Is not served."),
    row("acl|log", -2, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "6.0.0", Server, Refused(Refusing::Users), "Is not served."),
    row("acl|save", 2, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "6.0.0", Server, Refused(Refusing::Users), "Is not served."),
    row("acl|setuser", -3, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "6.0.0", Server, Refused(Refusing::Users), "Is not served."),
    row("acl|users", 2, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "6.0.0", Server, Host(ServerCommand::AclUsers), "Names the users."),
    row("acl|whoami", 2, &[NO_SCRIPT, LOADING, STALE], NONE, "", "6.0.0", Server, Host(ServerCommand::AclWhoAmI), "Names the user of the connection."),
];

#[rustfmt::skip]
const CLIENT: &[CommandRow] = &[
    row("client|getname", 2, &[NO_SCRIPT, LOADING, STALE], NONE, "connection", "2.6.9", Connection, Host(ServerCommand::ClientGetName), "Returns the name of the connection."),
    row("client|getredir", 2, &[NO_SCRIPT, LOADING, STALE], NONE, "connection", "6.0.0", Connection, Host(ServerCommand::ClientGetRedir), "Answers -1."),
    row("client|help", 2, &[LOADING, STALE], NONE, "connection", "5.0.0", Connection, Host(ServerCommand::ClientHelp), "Lists the subcommands."),
    row("client|id", 2, &[NO_SCRIPT, LOADING, STALE], NONE, "connection", "5.0.0", Connection, Host(ServerCommand::ClientId), "Returns the number of the connection."),
    row("client|info", 2, &[NO_SCRIPT, LOADING, STALE], NONE, "connection", "6.2.0", Connection, Host(ServerCommand::ClientInfo), "Describes the connection."),
    row("client|kill", -3, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "connection", "2.4.0", Connection, Host(ServerCommand::ClientKill), "Closes connections."),
    row("client|list", -2, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "connection", "2.4.0", Connection, Host(ServerCommand::ClientList), "Describes all connections."),
    row("client|no-evict", 3, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "connection", "7.0.0", Connection, Host(ServerCommand::ClientNoEvict), "Is accepted."),
    row("client|no-touch", 3, &[NO_SCRIPT, LOADING, STALE], NONE, "connection", "7.2.0", Connection, Host(ServerCommand::ClientNoTouch), "Is accepted."),
    row("client|reply", 3, &[NO_SCRIPT, LOADING, STALE], NONE, "connection", "3.2.0", Connection, Host(ServerCommand::ClientReply), "Switches answers off and on."),
    row("client|setinfo", 4, &[NO_SCRIPT, LOADING, STALE], NONE, "connection", "7.2.0", Connection, Host(ServerCommand::ClientSetInfo), "Names the client library."),
    row("client|setname", 3, &[NO_SCRIPT, LOADING, STALE], NONE, "connection", "2.6.9", Connection, Host(ServerCommand::ClientSetName), "Names the connection."),
    row("client|trackinginfo", 2, &[NO_SCRIPT, LOADING, STALE], NONE, "connection", "6.2.0", Connection, Host(ServerCommand::ClientTrackingInfo), "Reports that nothing is tracked."),
    row("client|unblock", -3, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "connection", "5.0.0", Connection, Host(ServerCommand::ClientUnblock), "Answers 0."),
];

#[rustfmt::skip]
const COMMAND: &[CommandRow] = &[
    row("command|count", 2, &[LOADING, STALE], NONE, "connection", "2.8.13", Server, Table(Description::Count), "Counts the commands."),
    row("command|docs", -2, &[LOADING, STALE], NONE, "connection", "7.0.0", Server, Table(Description::Docs), "Describes commands for people."),
    row("command|getkeys", -4, &[LOADING, STALE], NONE, "connection", "2.8.13", Server, Table(Description::GetKeys), "Lists the keys of a request."),
    row("command|getkeysandflags", -4, &[LOADING, STALE], NONE, "connection", "7.0.0", Server, Table(Description::GetKeysAndFlags), "Lists the keys of a request, and what is done to them."),
    row("command|help", 2, &[LOADING, STALE], NONE, "connection", "5.0.0", Server, Table(Description::Help), "Lists the subcommands."),
    row("command|info", -2, &[LOADING, STALE], NONE, "connection", "2.8.13", Server, Table(Description::Info), "Describes commands for programs."),
    row("command|list", -2, &[LOADING, STALE], NONE, "connection", "7.0.0", Server, Table(Description::List), "Names the commands."),
];

#[rustfmt::skip]
const CONFIG: &[CommandRow] = &[
    row("config|get", -3, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "2.0.0", Server, Host(ServerCommand::ConfigGet), "Returns settings."),
    row("config|help", 2, &[LOADING, STALE], NONE, "", "5.0.0", Server, Host(ServerCommand::ConfigHelp), "Lists the subcommands."),
    row("config|resetstat", 2, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "2.0.0", Server, Host(ServerCommand::ConfigResetStat), "Counts from 0 again."),
    row("config|rewrite", 2, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "2.8.0", Server, Host(ServerCommand::ConfigRewrite), "Is refused: there is no configuration file."),
    row("config|set", -4, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "2.0.0", Server, Host(ServerCommand::ConfigSet), "Changes settings."),
];

#[rustfmt::skip]
const FUNCTION: &[CommandRow] = &[
    row("function|delete", 3, &[NO_SCRIPT, WRITE], NONE, "scripting", "7.0.0", Scripting, Refused(Refusing::Function), "Is not served."),
    row("function|dump", 2, &[NO_SCRIPT], NONE, "scripting", "7.0.0", Scripting, Refused(Refusing::Function), "Is not served."),
    row("function|flush", -2, &[NO_SCRIPT, WRITE], NONE, "scripting", "7.0.0", Scripting, Here(fixed::function_flush), "Is accepted."),
    row("function|help", 2, &[LOADING, STALE], NONE, "scripting", "7.0.0", Scripting, Here(fixed::function_help), "Lists the subcommands."),
    row("function|kill", 2, &[NO_SCRIPT, ALLOW_BUSY], NONE, "scripting", "7.0.0", Scripting, Refused(Refusing::Function), "Is not served."),
    row("function|list", -2, &[NO_SCRIPT], NONE, "scripting", "7.0.0", Scripting, Here(fixed::empty), "Answers nothing."),
    row("function|load", -3, &[NO_SCRIPT, WRITE, DENY_OOM], NONE, "scripting", "7.0.0", Scripting, Refused(Refusing::Function), "Is not served."),
    row("function|restore", -3, &[NO_SCRIPT, WRITE, DENY_OOM], NONE, "scripting", "7.0.0", Scripting, Refused(Refusing::Function), "Is not served."),
    row("function|stats", 2, &[NO_SCRIPT, ALLOW_BUSY], NONE, "scripting", "7.0.0", Scripting, Refused(Refusing::Function), "Is not served."),
];

#[rustfmt::skip]
const LATENCY: &[CommandRow] = &[
    row("latency|doctor", 2, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "2.8.13", Server, Here(fixed::latency_doctor), "Reports that nothing is measured."),
    row("latency|graph", 3, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "2.8.13", Server, Here(fixed::latency_graph), "Is refused: nothing is measured."),
    row("latency|help", 2, &[LOADING, STALE], NONE, "", "2.8.13", Server, Here(fixed::latency_help), "Lists the subcommands."),
    row("latency|histogram", -2, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "7.0.0", Server, Here(fixed::empty_map), "Answers nothing."),
    row("latency|history", 3, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "2.8.13", Server, Here(fixed::empty), "Answers nothing."),
    row("latency|latest", 2, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "2.8.13", Server, Here(fixed::empty), "Answers nothing."),
    row("latency|reset", -2, &[ADMIN, NO_SCRIPT, LOADING, STALE], NONE, "", "2.8.13", Server, Here(fixed::zero), "Answers 0."),
];

#[rustfmt::skip]
const MEMORY: &[CommandRow] = &[
    row("memory|doctor", 2, &[], NONE, "", "4.0.0", Server, Here(memory::doctor), "Reports no problem."),
    row("memory|help", 2, &[LOADING, STALE], NONE, "", "4.0.0", Server, Here(memory::help), "Lists the subcommands."),
    row("memory|malloc-stats", 2, &[], NONE, "", "4.0.0", Server, Here(memory::malloc_stats), "Reports no statistics."),
    row("memory|purge", 2, &[], NONE, "", "4.0.0", Server, Here(memory::purge), "Is accepted."),
    row("memory|stats", 2, &[], NONE, "", "4.0.0", Server, Here(memory::stats), "Returns the memory of the database."),
    row("memory|usage", -3, &[READONLY], SECOND, "", "4.0.0", Server, Here(memory::usage), "Returns the memory of a key in bytes."),
];

#[rustfmt::skip]
const MODULE: &[CommandRow] = &[
    row("module|help", 2, &[LOADING, STALE], NONE, "", "5.0.0", Server, Here(fixed::module_help), "Lists the subcommands."),
    row("module|list", 2, &[ADMIN, NO_SCRIPT], NONE, "", "4.0.0", Server, Here(fixed::empty), "Answers nothing."),
    row("module|load", -3, &[ADMIN, NO_SCRIPT], NONE, "", "4.0.0", Server, Refused(Refusing::Module), "Is not served."),
    row("module|loadex", -3, &[ADMIN, NO_SCRIPT], NONE, "", "7.0.0", Server, Refused(Refusing::Module), "Is not served."),
    row("module|unload", 3, &[ADMIN, NO_SCRIPT], NONE, "", "4.0.0", Server, Refused(Refusing::Module), "Is not served."),
];

#[rustfmt::skip]
const SLOWLOG: &[CommandRow] = &[
    row("slowlog|get", -2, &[ADMIN, LOADING, STALE], NONE, "", "2.2.12", Server, Here(fixed::slowlog_get), "Answers nothing."),
    row("slowlog|help", 2, &[LOADING, STALE], NONE, "", "6.2.0", Server, Here(fixed::slowlog_help), "Lists the subcommands."),
    row("slowlog|len", 2, &[ADMIN, LOADING, STALE], NONE, "", "2.2.12", Server, Here(fixed::zero), "Answers 0."),
    row("slowlog|reset", 2, &[ADMIN, LOADING, STALE], NONE, "", "2.2.12", Server, Here(fixed::ok), "Is accepted."),
];
