import sharp from 'sharp';

const width = 320;
const height = 240;

/**
 * A WebP of at most 320 × 240 pixels: the top of the picture, at its full width. Made when it is asked for:
 * most are never looked at, and a worker has better things to do. Runs off the event loop.
 */
export async function makeThumbnail(image: Buffer): Promise<Buffer> {
  const options = { limitInputPixels: 250_000_000, sequentialRead: true };
  const source = await sharp(image, options).metadata();
  return await sharp(image, options)
    .extract({
      left: 0,
      top: 0,
      width: source.width,
      height: Math.max(1, Math.min(source.height, Math.round((source.width * height) / width))),
    })
    .resize({ width, withoutEnlargement: true })
    .webp({ quality: 75 })
    .toBuffer();
}
