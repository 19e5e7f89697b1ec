delete
from "track"
where "id" in (?, ?)
-- [222,223]
