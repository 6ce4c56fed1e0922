/**
 * Stands in for the native part of `@vscode/spdlog`, which would need a compiler to install. Without it the server and its extension
 * hosts write no log files at all, and neither "Show Log" nor a test can read what an extension logged.
 * Synchronous appends: a log line written before a kill -9 is in the file.
 */
const fs = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');

const LEVEL_NAMES = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];

class Logger {
  #file;
  #level = 0;
  #raw = false;

  constructor(_loggerType, _name, file) {
    this.#file = file;
  }

  #write(level, message) {
    if (level < this.#level) return;
    const time = new Date().toISOString().replace('T', ' ').slice(0, 23);
    fs.appendFileSync(this.#file, this.#raw ? message : `${time} [${LEVEL_NAMES[level]}] ${message}\n`);
  }

  trace(message) {
    this.#write(0, message);
  }
  debug(message) {
    this.#write(1, message);
  }
  info(message) {
    this.#write(2, message);
  }
  warn(message) {
    this.#write(3, message);
  }
  error(message) {
    this.#write(4, message);
  }
  critical(message) {
    this.#write(5, message);
  }
  getLevel() {
    return this.#level;
  }
  setLevel(level) {
    this.#level = level;
  }
  setPattern() {
    this.#raw = false;
  }
  clearFormatters() {
    this.#raw = true;
  }
  flush() {
    /* appends are synchronous */
  }
  drop() {
    /* nothing is held open */
  }
}

async function createLogger(name, file) {
  await fs.promises.mkdir(path.dirname(file), { recursive: true });
  return new Logger('rotating', name, file);
}

exports.version = 11400;
exports.setLevel = () => undefined;
exports.setFlushOn = () => undefined;
exports.Logger = Logger;
exports.createRotatingLogger = createLogger;
exports.createAsyncRotatingLogger = createLogger;
