import fs from 'node:fs';
import type { Page } from 'playwright-core';
import { animatedPng } from './smallPng';

/** Milliseconds between two frames, at least. */
const frameMs = 120;
/** Milliseconds for which the last frame stays before the picture starts over. */
const lastFrameMs = 4_000;
/** Colors that all frames share. */
const colors = 96;

interface Frame {
  readonly at: number;
  readonly png: Buffer;
}

/** Records a window into an animated PNG, in real time: a frame stays for as long as the window looked like that. */
export class Recorder {
  readonly #frames: Frame[] = [];
  #isRecording = true;
  readonly #done: Promise<void>;

  private constructor(
    private readonly page: Page,
    private readonly size: { readonly width: number; readonly height: number },
  ) {
    this.#done = this.#record();
  }

  static start(page: Page, size: { readonly width: number; readonly height: number }): Recorder {
    return new Recorder(page, size);
  }

  /** Ends the recording and writes the file. */
  async save(file: string): Promise<{ readonly bytes: number; readonly frames: number; readonly seconds: number }> {
    this.#isRecording = false;
    await this.#done;
    const delays = this.#frames.map(({ at }, index) => (this.#frames[index + 1]?.at ?? at + lastFrameMs) - at);
    const encoded = animatedPng(
      this.#frames.map(({ png }, index) => ({ png, delay: delays[index] ?? 0 })),
      colors,
    );
    fs.writeFileSync(file, encoded);
    const seconds = Math.round(delays.reduce((sum, delay) => sum + delay, 0) / 1000);
    return { bytes: encoded.length, frames: delays.length, seconds };
  }

  async #record(): Promise<void> {
    while (this.#isRecording) {
      const at = Date.now();
      const png = await this.page.screenshot({ clip: { x: 0, y: 0, ...this.size } });
      // A frame like the one before it only lengthens that one.
      if (this.#frames.at(-1)?.png.equals(png) !== true) this.#frames.push({ at, png });
      await this.page.waitForTimeout(Math.max(0, frameMs - (Date.now() - at)));
    }
  }
}
