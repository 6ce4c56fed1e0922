import { expect, test } from 'vitest';
import { ownFolders } from '../../../../../../src/features/history/core/rescue/rescue';

test('takes sessions of an open folder and of folders below it', () => {
  const isOwn = ownFolders(['/home/me/app', '/srv/'], 'linux');

  expect(
    ['/home/me/app', '/home/me/app/web', '/srv/x', '/home/me/app2', '/home/me', '/home/me/App'].filter(isOwn),
  ).toEqual(['/home/me/app', '/home/me/app/web', '/srv/x']);
});

test('takes paths of Windows with other letters for the drive', () => {
  const isOwn = ownFolders(['c:\\Users\\me\\app'], 'win32');

  expect(['C:\\Users\\Me\\app', 'C:\\Users\\me\\app\\web', 'C:\\Users\\me\\apps'].filter(isOwn)).toEqual([
    'C:\\Users\\Me\\app',
    'C:\\Users\\me\\app\\web',
  ]);
});
