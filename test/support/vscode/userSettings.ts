import fs from 'node:fs';
import path from 'node:path';

export type Settings = Readonly<Record<string, unknown>>;

/** A quiet window: no welcome tab, no built-in chat, nothing that asks the network, nothing that is drawn again and again: a browser without a
 *  graphics processor draws in software. `chat.disableAIFeatures` leaves `vscode.lm` alone. */
export const quietSettings: Settings = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.reduceMotion': 'on',
  'breadcrumbs.enabled': false,
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  'editor.occurrencesHighlight': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.enableExperiments': false,
  // Settings in an ordinary tab: a modal editor would cover the window.
  'workbench.editor.useModal': 'off',
  'workbench.settings.enableNaturalLanguageSearch': false,
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
  'update.mode': 'none',
  // The server of a window looks through all processes of the machine for ports.
  'remote.autoForwardPorts': false,
};

/** For a model that plays a script, which expects no request for a title. */
export const scriptedModelSettings: Settings = { 'hermes.sessionTitles': 'prompt' };

/** The user's settings file of a VS Code whose data folder is `dataDir`. The server watches it: a change takes effect at once. */
export class UserSettings {
  readonly file: string;

  /** `Machine`: the settings of the machine the server runs on. A setting of scope "machine" counts only there, since every window of a
   *  server is a remote one; in the user's own settings it is taken or left by chance. */
  constructor(dataDir: string, kind: 'User' | 'Machine' = 'User') {
    this.file = path.join(dataDir, kind, 'settings.json');
  }

  write(settings: Settings): void {
    fs.mkdirSync(path.dirname(this.file), { recursive: true });
    const written = `${this.file}.new`;
    fs.writeFileSync(written, `${JSON.stringify(settings, null, 2)}\n`);
    fs.renameSync(written, this.file);
  }

  read(): Settings {
    const parsed: unknown = fs.existsSync(this.file) ? JSON.parse(fs.readFileSync(this.file, 'utf8')) : {};
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      throw new Error(`${this.file} holds no object`);
    return { ...parsed };
  }

  /** Sets some settings and keeps the others; `undefined` takes one away. */
  update(changes: Settings): void {
    const merged = { ...this.read(), ...changes };
    this.write(Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined)));
  }
}
