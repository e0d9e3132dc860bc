// SPDX-License-Identifier: Apache-2.0

#include "CReportPage.h"

// The files are part of the program, so that a single executable can write the page. Swift cannot embed them itself in a
// time that a build could bear.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char html[] = {
#embed "front/page.html"
};

static const unsigned char css[] = {
#embed "front/page.css"
};

static const unsigned char script[] = {
#embed "front/data.js"
    ,
#embed "front/history.js"
    ,
#embed "front/state.js"
    ,
#embed "front/elements.js"
    ,
#embed "front/overview.js"
    ,
#embed "front/arrows.js"
    ,
#embed "front/minimap.js"
    ,
#embed "front/timeline.js"
    ,
#embed "front/events.js"
    ,
#embed "front/details.js"
    ,
#embed "front/bench.js"
    ,
#embed "front/steps.js"
    ,
#embed "front/scrubber.js"
    ,
#embed "front/source.js"
    ,
#embed "front/requests.js"
    ,
#embed "front/scenario.js"
    ,
#embed "front/compare.js"
    ,
#embed "front/commands.js"
    ,
#embed "front/live.js"
    ,
#embed "front/main.js"
};

report_page_text report_page_html(void) { return (report_page_text){html, sizeof html}; }
report_page_text report_page_css(void) { return (report_page_text){css, sizeof css}; }
report_page_text report_page_script(void) { return (report_page_text){script, sizeof script}; }
