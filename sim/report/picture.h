/*
 * The formats pictures come in.
 */
#ifndef SDSIM_REPORT_PICTURE_H
#define SDSIM_REPORT_PICTURE_H

enum sdsim_picture_format {
    SDSIM_PICTURE_SVG,
    SDSIM_PICTURE_PNG,
};

#endif
