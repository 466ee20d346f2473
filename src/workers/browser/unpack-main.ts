/** Fills a folder, see `unpack-apart.ts`: node unpack-main.ts chromium|fonts <folder> */
import { fillChromium } from './bundled-chromium.ts';
import { fillFonts } from './font-files.ts';

const [what, folder = ''] = process.argv.slice(2);
await (what === 'chromium' ? fillChromium(folder) : fillFonts(folder));
