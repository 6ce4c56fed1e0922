import { describe, expect, test } from 'vitest';
import {
  axeFindings,
  colourRules,
  settle,
  cutByTextSpacing,
  movesRegardless,
  paint,
  standsOutside,
} from '../../../support/webviewPreview/audit';
import { untilAtRest } from '../../../support/webviewPreview/browserPreview';
import { states } from '../../../support/webviewPreview/states';
import { usePreview } from '../../../support/webviewPreview/openPreview';

const preview = usePreview();

/** A panel as narrow as the editor lets it be; a tab beside others at twice the size. */
const narrowest = { chat: 170, transcript: 300, search: 300 } as const;
const otherThemes = ['light', 'contrast', 'contrastLight'] as const;

describe('every state of every view', { concurrent: true }, () => {
  const each = Object.entries(states).map(([name, { view }]) => [name, narrowest[view]] as const);
  test.each(each)(
    '%s is readable in every theme, loses nothing at %i px and with wide spacing, and rests with reduced motion',

    async (name, width) => {
      const { page, problems } = await preview.open(name);
      await untilAtRest(page);
      const moving = await movesRegardless(page);
      await settle(page);
      // In the dark theme axe looks for everything, in the others for what depends on colours.
      const found: Record<string, readonly string[]> = { dark: await axeFindings(page) };
      for (const theme of otherThemes) {
        await paint(page, theme);
        found[theme] = await axeFindings(page, colourRules);
      }
      const cut = await cutByTextSpacing(page);
      const outside = await standsOutside(page, width);
      // Buttons that take several lines there.
      found['narrow'] = await axeFindings(page, ['target-size']);
      await preview.leave(page);
      expect({ found, moving, cut, outside, problems }).toEqual({
        found: { dark: [], light: [], contrast: [], contrastLight: [], narrow: [] },
        moving: [],
        cut: [],
        outside: [],
        problems: [],
      });
    },
  );
});
