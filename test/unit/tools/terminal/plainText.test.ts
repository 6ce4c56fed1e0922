import { expect, test } from 'vitest';
import { plainText } from '../../../../src/tools/terminal/plainText';

const docker = (...states: readonly string[]): string =>
  states
    .map((state, index) => `${index === 0 ? '' : '\u001b[2A'}\u001b[2K a ${state}\n\u001b[2K b ${state}\n`)
    .join('');

test.each([
  ['a frame of docker', `start\n${docker('Pulling', 'Extracting', 'Done')}end\n`, 'start\n a Done\n b Done\nend\n'],
  ['a frame of cargo', 'one\n  Building 1/2\r\u001b[K  Compiling x\n  Building 2/2\r\u001b[K', 'one\n  Compiling x\n'],
  ['a frame that is erased below', 'a\nb\nc\n\u001b[3A\u001b[Jdone\n', 'done\n'],
  [
    'a frame of npm, by columns',
    '⠋ one\n⠋ two\u001b[1A\u001b[1G\u001b[0K✔ one\n\u001b[1G\u001b[0K✔ two',
    '✔ one\n✔ two',
  ],
  ['a part that begins within a frame', ` b Pulling\n\u001b[2A${docker('Done')}`, ' a Done\n b Done\n'],
  ['lines before', 'x\ny\n\u001b[1F\u001b[2Kz\u001b[1E!', 'x\nz\n!'],
  ['bold text of man', 'N\bNA\bAM\bME\bE\n', 'NAME\n'],
  ['underlined text of man', '_\bf_\bi_\bl_\be and l\bls\bs', 'file and ls'],
  ['a turning wheel', 'wait |\b/\b-\b\\\b \bdone', 'wait done'],
  ['a percentage', '10%\b\b\b20%\b\b\b30%\n', '30%\n'],
  ['colors in a frame', '\u001b[31mred\u001b[0m\n\u001b[1A\u001b[32mgreen\u001b[0m', 'green\n'],
  ['a line that is replaced by a shorter one', 'long line\n\u001b[1A\rshort\n', 'short\n'],
  ['movements out of bounds', '\u001b[99999999Aone\n\u001b[99999999Btwo', 'one\ntwo'],
])('keeps what a screen would show of %s', (_, text, shown) => expect(plainText(text)).toBe(shown));

test('a far column costs no memory', () => {
  expect(plainText('\bx\u001b[999999999Gy'.repeat(50)).length).toBeLessThan(2000);
});
