import { KnownDevices } from 'puppeteer-core';

import { AppError } from '../../../shared/errors.ts';
import type { PageQuery } from '../../../shared/schemas/page-options.ts';
import { desktopViewport, type PageSetup, type Viewport } from '../../browser/page-setup.ts';

export interface DeviceRequest extends Pick<PageQuery, 'mobile'> {
  device?: string | undefined;
  /** CSS pixels. */
  width?: number | undefined;
  height?: number | undefined;
  deviceScaleFactor?: number | undefined;
}

/** The most frequent size of Android phones. */
const phone: Viewport = { width: 412, height: 915, deviceScaleFactor: 1, mobile: true };

/**
 * The screen that a request asks for: its device's, a phone's or a desk's, with what it says itself on top.
 * @throws AppError `invalid_request` for a device that nobody knows.
 */
export function deviceSetupOf(request: DeviceRequest): Pick<PageSetup, 'viewport' | 'userAgent'> {
  const { width, height, deviceScaleFactor } = request;
  const known = request.device === undefined ? null : findDevice(request.device);
  const viewport = known?.viewport ?? (request.mobile ? phone : desktopViewport);
  return {
    viewport: {
      ...viewport,
      ...(width === undefined ? {} : { width }),
      ...(height === undefined ? {} : { height }),
      ...(deviceScaleFactor === undefined ? {} : { deviceScaleFactor }),
    },
    ...(known ? { userAgent: known.userAgent } : {}),
  };
}

function findDevice(name: string): { viewport: Viewport; userAgent: string } {
  const devices = Object.entries(KnownDevices);
  const device = devices.find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1];
  if (!device) {
    const word = name.toLowerCase().split(' ')[0] ?? '';
    const names = devices.map(([known]) => known);
    const alike = names.filter((known) => known.toLowerCase().startsWith(word));
    const examples = (alike.length > 0 ? alike : names).slice(0, 8).join(', ');
    const message = `No device is called "${name}". There are ${names.length}, e.g. ${examples}.`;
    throw new AppError('invalid_request', message, { errors: [{ path: 'device', message }] });
  }
  const { width, height, deviceScaleFactor = 1, isMobile = false } = device.viewport;
  return { viewport: { width, height, deviceScaleFactor, mobile: isMobile }, userAgent: device.userAgent };
}
