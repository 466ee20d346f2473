import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { makeThumbnail } from '../../src/api/thumbnail.ts';

type Format = 'png' | 'jpeg' | 'webp';

/** Red in its upper `redRows`, else blue. */
async function picture(format: Format, width: number, height: number, redRows: number): Promise<Buffer> {
  const red = { create: { width, height: redRows, channels: 3, background: '#f00' } } as const;
  return await sharp({ create: { width, height, channels: 3, background: '#00f' } })
    .composite([{ input: red, top: 0, left: 0 }])
    .toFormat(format)
    .toBuffer();
}

const sizes: [string, [number, number], [number, number]][] = [
  ['of a long page', [1280, 5000], [320, 240]],
  ['of a screen', [1280, 960], [320, 240]],
  ['lower than its width asks for', [3000, 700], [320, 75]],
  ['one pixel too high', [1280, 961], [320, 240]],
  ['a line', [4000, 1], [320, 1]],
  ['that is small', [200, 100], [200, 100]],
  ['narrow and long', [50, 2000], [50, 38]],
];

describe.each<Format>(['png', 'jpeg', 'webp'])('the thumbnail of a %s', (format) => {
  test.each(sizes)('%s is its top, at its full width', async (_, [width, height], [cutWidth, cutHeight]) => {
    const thumbnail = await makeThumbnail(await picture(format, width, height, height));
    expect(await sharp(thumbnail).metadata()).toMatchObject({
      format: 'webp',
      width: cutWidth,
      height: cutHeight,
    });
  });

  test('shows what stands at the top', async () => {
    const { data, info } = await sharp(await makeThumbnail(await picture(format, 1280, 4000, 480)))
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const isRed = (row: number) => data[row * info.width * 3]! > 200 && data[row * info.width * 3 + 2]! < 60;
    expect([0, 60, 110].map(isRed)).toEqual([true, true, true]);
    expect([130, 180, 239].map(isRed)).toEqual([false, false, false]);
  });
});

const measure = `
  const { makeThumbnail } = await import(process.argv[1]);
  const image = Buffer.from(await new Response(process.stdin).arrayBuffer());
  const before = process.resourceUsage().maxRSS;
  await makeThumbnail(image);
  console.log((process.resourceUsage().maxRSS - before) / 1024);`;

test.each<Format>(['png', 'jpeg', 'webp'])(
  'a large %s is not held whole in memory',
  async (format) => {
    const image = await picture(format, 4000, 16_000, 16_000);
    const running = promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      measure,
      join(import.meta.dirname, '../../src/api/thumbnail.ts'),
    ]);
    running.child.stdin?.end(image);
    // Decoded it has 192 MB.
    expect(Number((await running).stdout)).toBeLessThan(100);
  },
  60_000,
);
