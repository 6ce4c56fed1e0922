import * as vscode from 'vscode';

/** Opens an address in the browser exactly as it is written. The editor decodes a `Uri` once before it opens it, so
 *  that `%26` and `%23` in a value become `&` and `#` (vscode#85930). It keeps a text, which its types do not say. */
export async function openPage(address: string): Promise<void> {
  await vscode.env.openExternal(address as unknown as vscode.Uri);
}
