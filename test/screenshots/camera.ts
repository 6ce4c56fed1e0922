import fs from 'node:fs';
import path from 'node:path';
import type { Workbench } from '../support/vscode';
import { smallPng } from './smallPng';

/** Themes by the word in a picture's name. */
const themes = [
  { id: 'dark', name: 'Dark Modern' },
  { id: 'light', name: 'Light Modern' },
  { id: 'contrast-dark', name: 'Default High Contrast' },
  { id: 'contrast-light', name: 'Default High Contrast Light' },
] as const;
const widths = [300, 450, 900] as const;
/** Of a state that is no key state: each theme once, each width at least once. */
const sampleWidths = { dark: [450], light: [300], 'contrast-dark': [300], 'contrast-light': [900] } as const;

export const viewport = { width: 1440, height: 800 };
const colors = 256;

/** The part of the window that a picture shows: the panel, or the editor tab in front. */
type Part = 'panel' | 'tab';

const parts: Readonly<Record<Part, string>> = {
  panel: '#workbench\\.parts\\.auxiliarybar',
  tab: '#workbench\\.parts\\.editor',
};

export interface CameraOptions {
  readonly folder: string;
  readonly say: (line: string) => void;
  /** Takes only states whose name contains this. */
  readonly only: string;
  /** Every width in every theme, also of states that are no key states. */
  readonly all: boolean;
}

export interface Shot {
  readonly part?: Part;
  /** Every width in every theme. Otherwise each theme once, unless all are asked for. */
  readonly isKey?: boolean;
  /** Done before each picture: what a press elsewhere closes is opened again. */
  readonly pose?: () => Promise<unknown>;
}

/** Takes pictures of states in themes and widths. Animations stand still and the caret is hidden; the times and the durations that are shown are those of the run. */
export class Camera {
  #bytes = 0;
  #taken = 0;

  constructor(
    private readonly options: CameraOptions,
    private readonly workbench: Workbench,
  ) {
    fs.mkdirSync(options.folder, { recursive: true });
  }

  /** Bytes of all pictures taken. */
  get bytes(): number {
    return this.#bytes;
  }

  async shoot(state: string, { part = 'panel', isKey = false, pose }: Shot = {}): Promise<void> {
    if (!state.includes(this.options.only)) return;
    const [bytes, taken] = [this.#bytes, this.#taken];
    for (const theme of themes) {
      await this.workbench.setTheme(theme.name);
      for (const width of isKey || this.options.all ? widths : sampleWidths[theme.id]) {
        await this.#resize(part, width);
        await pose?.();
        // Until what moved with the width has come to rest.
        await this.workbench.page.waitForTimeout(350);
        await this.#take(part, `${state}-${theme.id}-${width}`);
      }
    }
    this.options.say(`${state}: ${this.#taken - taken} pictures, ${Math.round((this.#bytes - bytes) / 1024)} KB`);
  }

  async #take(part: Part, name: string): Promise<void> {
    const shot = await this.workbench.page.locator(parts[part]).screenshot({ animations: 'disabled' });
    const reduced = smallPng(shot, colors);
    fs.writeFileSync(path.join(this.options.folder, `${name}.png`), reduced);
    this.#bytes += reduced.length;
    this.#taken++;
  }

  async #widthOf(part: Part): Promise<number> {
    const box = await this.workbench.page.locator(parts[part]).boundingBox();
    return box?.width ?? 0;
  }

  async #resize(part: Part, width: number): Promise<void> {
    await this.workbench.resizeSecondarySideBar(
      part === 'panel' ? width : (await this.#widthOf('panel')) + (await this.#widthOf('tab')) - width,
    );
    // Out of the way: nothing is hovered in a picture.
    await this.workbench.page.mouse.move(viewport.width / 2, viewport.height - 4);
  }
}
