/** Media type of an image that models accept, detected by its first bytes; null for anything else. */
export function imageMediaType(bytes: Uint8Array): string | null {
  const begins = (signature: readonly number[], at = 0): boolean =>
    signature.every((byte, index) => bytes[at + index] === byte);
  if (begins([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png';
  if (begins([0xff, 0xd8, 0xff])) return 'image/jpeg';
  if (begins([0x47, 0x49, 0x46, 0x38])) return 'image/gif';
  if (begins([0x52, 0x49, 0x46, 0x46]) && begins([0x57, 0x45, 0x42, 0x50], 8)) return 'image/webp';
  return null;
}

/** Longer side of a PNG, in pixels; null for other formats and for a header that is cut off. */
export function longerSide(bytes: Uint8Array): number | null {
  if (bytes.length < 24 || imageMediaType(bytes) !== 'image/png') return null;
  const header = new DataView(bytes.buffer, bytes.byteOffset);
  return Math.max(header.getUint32(16), header.getUint32(20));
}
