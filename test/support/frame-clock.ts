import sharp from 'sharp';

/** The number of the frame that a clip of media-files.ts shows in its eight squares. */
export async function readFrameNumber(picture: Buffer): Promise<number> {
  const { data, info } = await sharp(picture).greyscale().raw().toBuffer({ resolveWithObject: true });
  const square = info.width / 8;
  let number = 0;
  for (let bit = 0; bit < 8; bit++) {
    const x = Math.floor((bit + 0.5) * square);
    const y = Math.floor(info.height / 2);
    const light = data[(y * info.width + x) * info.channels] ?? 0;
    number = number * 2 + (light > 150 ? 1 : 0);
  }
  return number;
}
