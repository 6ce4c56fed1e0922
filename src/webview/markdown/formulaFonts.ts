import ams from 'katex/dist/fonts/KaTeX_AMS-Regular.woff2';
import caligraphicBold from 'katex/dist/fonts/KaTeX_Caligraphic-Bold.woff2';
import caligraphic from 'katex/dist/fonts/KaTeX_Caligraphic-Regular.woff2';
import frakturBold from 'katex/dist/fonts/KaTeX_Fraktur-Bold.woff2';
import fraktur from 'katex/dist/fonts/KaTeX_Fraktur-Regular.woff2';
import mainBold from 'katex/dist/fonts/KaTeX_Main-Bold.woff2';
import mainBoldItalic from 'katex/dist/fonts/KaTeX_Main-BoldItalic.woff2';
import mainItalic from 'katex/dist/fonts/KaTeX_Main-Italic.woff2';
import main from 'katex/dist/fonts/KaTeX_Main-Regular.woff2';
import mathBoldItalic from 'katex/dist/fonts/KaTeX_Math-BoldItalic.woff2';
import mathItalic from 'katex/dist/fonts/KaTeX_Math-Italic.woff2';
import sansBold from 'katex/dist/fonts/KaTeX_SansSerif-Bold.woff2';
import sansItalic from 'katex/dist/fonts/KaTeX_SansSerif-Italic.woff2';
import sans from 'katex/dist/fonts/KaTeX_SansSerif-Regular.woff2';
import script from 'katex/dist/fonts/KaTeX_Script-Regular.woff2';
import size1 from 'katex/dist/fonts/KaTeX_Size1-Regular.woff2';
import size2 from 'katex/dist/fonts/KaTeX_Size2-Regular.woff2';
import size3 from 'katex/dist/fonts/KaTeX_Size3-Regular.woff2';
import size4 from 'katex/dist/fonts/KaTeX_Size4-Regular.woff2';
import typewriter from 'katex/dist/fonts/KaTeX_Typewriter-Regular.woff2';

const bold = { weight: 'bold' };
const italic = { style: 'italic' };

const fonts: readonly (readonly [family: string, path: string, face?: FontFaceDescriptors])[] = [
  ['Main', main],
  ['Main', mainBold, bold],
  ['Main', mainItalic, italic],
  ['Main', mainBoldItalic, { ...bold, ...italic }],
  ['Math', mathItalic, italic],
  ['Math', mathBoldItalic, { ...bold, ...italic }],
  ['Size1', size1],
  ['Size2', size2],
  ['Size3', size3],
  ['Size4', size4],
  ['AMS', ams],
  ['Caligraphic', caligraphic],
  ['Caligraphic', caligraphicBold, bold],
  ['Fraktur', fraktur],
  ['Fraktur', frakturBold, bold],
  ['SansSerif', sans],
  ['SansSerif', sansBold, bold],
  ['SansSerif', sansItalic, italic],
  ['Script', script],
  ['Typewriter', typewriter],
];

/** Adds the fonts of formulas to the page; a font loads when a formula needs it. A style sheet of a shadow root cannot
 *  do this. Resolves once the most common ones are there, or have failed, so that a formula does not change its size
 *  after it is shown. */
export async function addFormulaFonts(): Promise<void> {
  if (typeof FontFace === 'undefined') return;
  const faces = fonts.map(
    ([family, path, face]) =>
      new FontFace(`KaTeX_${family}`, `url(${new URL(path, import.meta.url).href})`, { display: 'block', ...face }),
  );
  for (const face of faces) document.fonts.add(face);
  const common = faces.filter((_, index) => [main, mathItalic, size1, size2].includes(fonts[index]?.[1] ?? ''));
  await Promise.allSettled(common.map((face) => face.load()));
}
