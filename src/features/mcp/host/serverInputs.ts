import * as v from 'valibot';
import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { ServerInput } from '../core/serverDefinition';
import type { Secrets } from '../../../host/models/providerKeys';
import type { KeptValues } from '../../../tools/programTrust';

const key = 'mcp.inputs';
const keptSchema = v.record(v.string(), v.string());

/** Values that the user entered for a server's inputs. They belong to the exact definition they were entered for: a
 *  changed one might send them elsewhere, so the user is asked again. Passwords are in secret storage. */
export class ServerInputs {
  constructor(
    private readonly memory: KeptValues,
    private readonly secrets: Secrets,
  ) {}

  /** Null: the user canceled. */
  async ask(server: string, fingerprint: string, input: ServerInput, signal: AbortSignal): Promise<string | null> {
    const place = placeOf(fingerprint, input.id);
    const kept = input.password ? await this.secrets.get(place) : this.read()[place];
    if (kept !== undefined) return kept;
    const given = await askFor(server, input, signal);
    if (given === undefined) return null;
    if (input.password) await this.secrets.store(place, given);
    else await this.memory.update(key, { ...this.read(), [place]: given });
    return given;
  }

  async forget(fingerprint: string, inputs: readonly ServerInput[]): Promise<void> {
    const places = inputs.map(({ id }) => placeOf(fingerprint, id));
    for (const place of places) await this.secrets.delete(place);
    await this.memory.update(
      key,
      Object.fromEntries(Object.entries(this.read()).filter(([place]) => !places.includes(place))),
    );
  }

  private read(): Readonly<Record<string, string>> {
    const kept = v.safeParse(keptSchema, this.memory.get(key));
    return kept.success ? kept.output : {};
  }
}

function placeOf(fingerprint: string, id: string): string {
  return `mcp input ${fingerprint} ${id}`;
}

async function askFor(
  server: string,
  { id, description, options, default: proposed, password }: ServerInput,
  signal: AbortSignal,
): Promise<string | undefined> {
  const cancelling = new vscode.CancellationTokenSource();
  const cancel = (): void => cancelling.cancel();
  signal.addEventListener('abort', cancel);
  const title = t('MCP server “{name}”', { name: server });
  const prompt = description === '' ? id : description;
  try {
    if (options.length > 0)
      return await vscode.window.showQuickPick(
        [...options],
        { title, placeHolder: prompt, ignoreFocusOut: true },
        cancelling.token,
      );
    return await vscode.window.showInputBox(
      { title, prompt, password, ignoreFocusOut: true, ...(proposed === null ? {} : { value: proposed }) },
      cancelling.token,
    );
  } finally {
    signal.removeEventListener('abort', cancel);
    cancelling.dispose();
  }
}
