export interface ImageSize {
  width: number;
  height: number;
}

/**
 * Reads an image's size in pixels from its header (PNG, JPEG or WebP).
 * @throws Error when the bytes are none of them.
 */
export function readImageSize(image: Buffer): ImageSize {
  if (image.length > 30) {
    if (image.readUInt32BE(0) === 0x89504e47) {
      return { width: image.readUInt32BE(16), height: image.readUInt32BE(20) };
    }
    if (image.toString('latin1', 0, 4) === 'RIFF' && image.toString('latin1', 8, 12) === 'WEBP') {
      return readWebpSize(image);
    }
    if (image.readUInt16BE(0) === 0xffd8) return readJpegSize(image);
  }
  throw new Error('Not a PNG, JPEG or WebP image');
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function readWebpSize(image: Buffer): ImageSize {
  switch (image.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: image.readUInt16LE(26) & 0x3fff, height: image.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = image.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    default:
      return { width: image.readUIntLE(24, 3) + 1, height: image.readUIntLE(27, 3) + 1 };
  }
}

/** The size stands in the first start-of-frame segment (ITU T.81, B.2.2). */
function readJpegSize(image: Buffer): ImageSize {
  let offset = 2;
  while (offset + 9 < image.length) {
    const marker = image.readUInt16BE(offset);
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { width: image.readUInt16BE(offset + 7), height: image.readUInt16BE(offset + 5) };
    offset += 2 + image.readUInt16BE(offset + 2);
  }
  throw new Error('A JPEG without a frame');
}
