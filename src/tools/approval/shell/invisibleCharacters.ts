/** Control characters, line ends that shells do not know, spaces that look like the common one, and invisible
 *  characters. Line feed and tab are included. */
export const invisibleCharacters =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/u;
