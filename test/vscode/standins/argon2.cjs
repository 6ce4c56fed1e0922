// In place of argon2, a native module: code-server asks it about passwords, and the tests use none.
const unused = () => Promise.reject(new Error('No password is used here.'));
module.exports = { hash: unused, verify: unused };
