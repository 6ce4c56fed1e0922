/**
 * Stands in for `@vscode/native-watchdog`, which would need a compiler to install; without it each extension host logs an error. It ends an
 * extension host that hangs while its server is gone. A host that does not hang notices by itself, and the tests end the others by id.
 */
exports.start = () => undefined;
