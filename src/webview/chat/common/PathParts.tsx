/** A file path in an element with the class `tool-path`. When it lacks room, its folders are cut first: the name says
 *  more. */
export function PathParts({ path }: { readonly path: string }) {
  const at = path.lastIndexOf('/') + 1;
  return (
    <>
      <span class="tool-folder">{path.slice(0, at)}</span>
      <span class="tool-file">{path.slice(at)}</span>
    </>
  );
}
