#!/bin/bash
# As the distribution's program of this name, of which the jars are all that Maven has.
exec java -cp '/opt/kafka/libs/*' kafka.tools.StorageTool "$@"
