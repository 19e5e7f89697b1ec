delete
from "track"
where "id" in (select unnest((select $1::bigint[])) as "id")
-- ["{222,223,224,225,226,227,228,229,230}"]
