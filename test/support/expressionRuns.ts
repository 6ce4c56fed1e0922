/** Counts the regular expressions that `work` runs: the same number on every machine, unlike its time. What one run costs is not counted; that is judged
 *  by the linter and measured by the benchmark. */
export function expressionRuns(work: () => void): number {
  const { exec } = RegExp.prototype;
  let runs = 0;
  // Once it is replaced, `test`, `match`, `replace` and `split` call it too.
  RegExp.prototype.exec = function counted(text) {
    runs++;
    return exec.call(this, text);
  };
  try {
    work();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return runs;
}
