/** Controls, line ends that shells do not know, blanks that look like the common one, and signs that are not seen. Line feed and tab are among them. */
export const unseenSigns = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/u;
