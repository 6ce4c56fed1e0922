import axe from 'axe-core';
import type { Frame, Page } from 'playwright-core';
import { themes } from './themes';

/** What depends on colours alone, and is asked again in every theme. */
export const colourRules = ['color-contrast', 'link-in-text-block'] as const;

/** The same page in other colours, as when the person changes the theme. What one theme leaves out another one does not inherit. */
export async function paint(page: Page, name: string): Promise<void> {
  const theme = themes[name];
  if (theme === undefined) throw new Error(`There is no theme ${name}`);
  await page.evaluate(({ colors, bodyClass, kind }) => {
    document.documentElement.removeAttribute('style');
    for (const [color, value] of Object.entries(colors))
      document.documentElement.style.setProperty(`--vscode-${color}`, value);
    document.body.className = bodyClass;
    document.body.dataset['vscodeThemeKind'] = kind;
  }, theme);
}

/** What axe finds in a page, a line for each rule that is broken; `rules` narrows it to these. Targets of less than 24 px are looked for as well. */
export async function axeFindings(page: Page | Frame, rules?: readonly string[]): Promise<readonly string[]> {
  // Half a megabyte: not handed over again for every theme.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    const run: unknown = Reflect.get(window, 'axe');
    if (typeof run !== 'object' || run === null || !('run' in run) || typeof run.run !== 'function')
      throw new Error('axe is not there');
    const which =
      only === undefined
        ? { rules: { 'target-size': { enabled: true } } }
        : {
            runOnly: { type: 'rule', values: only },
            rules: Object.fromEntries(only.map((rule) => [rule, { enabled: true }])),
          };
    const found = await run.run(document, {
      resultTypes: ['violations'],
      preload: false,
      selectors: false,
      elementRef: true,
      ...which,
    });
    // axe excuses the scrolling list of a combobox. The list of a textbox is scrolled the same way: by its arrow keys.
    const isSuggestionList = ({ element }: { element?: Element }): boolean =>
      element instanceof Element &&
      document.activeElement?.matches(`[aria-activedescendant][aria-controls~="${element.id}"]`) === true;
    return found.violations.flatMap(
      (violation: { id: string; nodes: { html: string; element?: Element; any: { message: string }[] }[] }) => {
        const nodes =
          violation.id === 'scrollable-region-focusable'
            ? violation.nodes.filter((node) => !isSuggestionList(node))
            : violation.nodes;
        return nodes.length === 0
          ? []
          : [
              `${violation.id}: ${nodes.map((node) => `${node.html.slice(0, 160)} (${node.any[0]?.message.slice(0, 200) ?? ''})`).join(' | ')}`,
            ];
      },
    );
  }, rules);
}

/** Ends what moves for a moment only, a mark that fades say: it is looked at as it rests. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().iterations !== Infinity) animation.finish();
  });
}

/** What still moves for somebody who asked for less motion. */
export async function movesRegardless(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  // The page hears of it with its next frame.
  await page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames++) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
  const moving = await page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().duration !== 0)
      .map((animation) => ('animationName' in animation ? String(animation.animationName) : 'transition')),
  );
  await page.emulateMedia({ reducedMotion: null });
  return moving;
}

/** What stands outside of a page of this width, where nothing around it scrolls or cuts it off on purpose. */
export async function standsOutside(page: Page, width: number): Promise<readonly string[]> {
  await page.setViewportSize({ width, height: 600 });
  // Two frames: what measures itself answers in the second.
  return page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames++) await new Promise((resolve) => requestAnimationFrame(resolve));
    const isHeld = (element: Element): boolean => {
      for (
        let around = element.parentElement;
        around !== null && around !== document.body;
        around = around.parentElement
      ) {
        const { right, width } = around.getBoundingClientRect();
        if (getComputedStyle(around).overflowX !== 'visible' && right <= innerWidth + 1 && width > 2) return true;
      }
      return element.closest('.visually-hidden') !== null;
    };
    return [...document.querySelectorAll('body *')].flatMap((element) => {
      const { left, right, width, height } = element.getBoundingClientRect();
      const isInside = width === 0 || height === 0 || (right <= innerWidth + 1 && left >= -1);
      return isInside || isHeld(element)
        ? []
        : [
            `${element.tagName.toLowerCase()}.${element.className} ${Math.round(left)} to ${Math.round(right)} of ${innerWidth}`,
          ];
    });
  });
}

/** Buttons whose words are cut off once lines, words and letters stand as far apart as WCAG 1.4.12 asks for. The page's policy takes no style
 *  element; a sheet of its own is not one. */
export async function cutByTextSpacing(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }',
    );
    document.adoptedStyleSheets = [sheet];
    const cut = [...document.querySelectorAll('button, select, input')]
      .filter(
        (element) =>
          element.scrollHeight > element.clientHeight + 1 && getComputedStyle(element).overflowY !== 'visible',
      )
      .map((element) => element.outerHTML.slice(0, 120));
    document.adoptedStyleSheets = [];
    return cut;
  });
}
