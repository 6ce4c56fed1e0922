import * as v from 'valibot';
import * as vscode from 'vscode';

/** Values of the extension that hold in all windows. */
export interface ChoiceMemory {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

/** A choice of the user for all windows that is made where it has its place, and is no setting. */
export interface KeptChoice<T> {
  readonly current: T;
  set(value: T): Promise<void>;
}

/** True to keep importing what other agents write. */
export const importingChoice = (memory: ChoiceMemory): KeptChoice<boolean> =>
  keptChoice(memory, 'rescue', v.boolean(), false);

/** Reads the choice each time: another window may have changed it. `setting`: the one, without "hermes.", that held it
 *  in earlier versions. The user's own value there moves here once. It is still declared in package.json: otherwise the
 *  editor would take it from a repository's container, too, and not find it in another profile. */
export function keptChoice<T>(
  memory: ChoiceMemory,
  setting: string,
  schema: v.GenericSchema<unknown, T>,
  otherwise: T,
): KeptChoice<T> {
  const key = `choice.${setting}`;
  const earlier: unknown = vscode.workspace.getConfiguration('hermes').inspect(setting)?.globalValue;
  if (memory.get(key) === undefined && earlier !== undefined) void memory.update(key, earlier);
  return {
    get current() {
      const kept = v.safeParse(schema, memory.get(key));
      return kept.success ? kept.output : otherwise;
    },
    set: async (value) => memory.update(key, value),
  };
}
