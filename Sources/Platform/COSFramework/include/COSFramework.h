// SPDX-License-Identifier: Apache-2.0

// Apps write `import os.log`. A module of Swift has no submodules, so the module map beside this file declares one of the
// same name; the compiler then loads the Swift module for what is in it.
#ifndef COSFRAMEWORK_H
#define COSFRAMEWORK_H

#endif
