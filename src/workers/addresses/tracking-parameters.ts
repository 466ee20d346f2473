const trackingParameter =
  /^(?:utm_\w+|(?:pk|piwik|mtm|matomo)_(?:campaign|cpn|keyword|kwd|source|medium|content|cid|group|placement|vid)|hsa_\w+|gclid|gclsrc|dclid|gbraid|wbraid|gad_source|gad_campaignid|srsltid|_ga|_gl|fbclid|mibextid|igshid?|msclkid|yclid|ysclid|_openstat|twclid|ttclid|rdt_cid|li_fat_id|epik|mc_cid|mc_eid|_hsenc|_hsmi|__hs(?:tc|sc|fp)|hsctatracking|mkt_tok|vero_id|oly_enc_id|oly_anon_id|_branch_match_id|_kx|wickedid)$/i;

/** Whether a parameter of this name follows a visitor about: it never changes the page. */
export const isTrackingParameter = (name: string): boolean => trackingParameter.test(name);
